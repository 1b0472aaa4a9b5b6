// npm run prove -- backups
import { MAX_GROWTH_MB, memoryGrowth } from './memory-growth.ts'

const { megabytes, storedMb, grownMb, seconds } = await memoryGrowth(2048)
const rate = Math.round(megabytes / seconds)
console.log(
  `${megabytes} MB saved and read back, ${storedMb} MB stored, in ${seconds} s (${rate} MB/s): the process grew by ${grownMb} MB, of ${MAX_GROWTH_MB} at most`,
)
if (grownMb >= MAX_GROWTH_MB) process.exitCode = 1
