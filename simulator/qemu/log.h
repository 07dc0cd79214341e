/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This process's file for messages to tacho, which system_complain() writes. */
#ifndef TACHO_LOG_H
#define TACHO_LOG_H

/* The file is in this directory. Each process has its own. */
void system_log(const char* directory);

/* Removes the messages. */
void system_withdraw(void);

#endif
