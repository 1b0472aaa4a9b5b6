#!/usr/bin/env node
// In place of the official image's pg_isready: the server has said so in its pid file.
import { readFileSync } from 'node:fs'

const [, , , , , , , status] = readFileSync('/var/lib/postgresql/data/postmaster.pid', 'utf8').split('\n')
process.exit(status.trim() === 'ready' ? 0 : 1)
