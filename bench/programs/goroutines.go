// Goroutines, a channel, and a map that grows.
package main

import (
	"fmt"
	"sync"
)

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func main() {
	var group sync.WaitGroup
	results := make(chan int, 4)
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			results <- fibonacci(18)
		}()
	}
	group.Wait()
	counts := map[int]int{}
	for i := 0; i < 20000; i++ {
		counts[i*7%1009] += i
	}
	fmt.Println(<-results, len(counts))
}
