// counted_loop [WORD…]: a loop of 1,000,000 iterations for each word of the command line, its own
// name included. From its first instruction to its exit it executes exactly
//   2,000,000 × words + 6   user instructions, on AArch64 and on ARM
// The six are a load, a move, a multiplication, and three to exit.
    .global _start
#if defined(__aarch64__)
_start:
    ldr x0, [sp]            // argc
    ldr x1, =1000000
    mul x0, x0, x1
1:  subs x0, x0, #1
    b.ne 1b
    mov x0, #0
    mov x8, #93             // exit
    svc #0
#elif defined(__arm__)
    .arm
_start:
    ldr r0, [sp]
    ldr r1, =1000000
    mul r2, r0, r1
1:  subs r2, r2, #1
    bne 1b
    mov r0, #0
    mov r7, #1              // exit
    svc #0
#endif
    .section .note.GNU-stack, "", %progbits
