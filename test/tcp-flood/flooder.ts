import { connect } from 'node:net'

// A process of its own: opens connections from many addresses of this machine, all at once and again and again, and
// holds those that are admitted. It says how far it is until it is killed.
const port = Number(process.argv[2])
const atOnce = Number(process.argv[3])
const ADDRESSES = 200

const counts = { attempts: 0, open: 0, refused: 0, maxOpen: 0 }

function attempt(number: number): void {
  counts.attempts += 1
  const localAddress = `127.0.1.${1 + (number % ADDRESSES)}`
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  let isOpen = false
  socket.once('connect', () => {
    isOpen = true
    counts.open += 1
    counts.maxOpen = Math.max(counts.maxOpen, counts.open)
  })
  socket.on('error', () => {})
  socket.resume()
  socket.once('close', () => {
    if (isOpen) counts.open -= 1
    counts.refused += 1
    setTimeout(() => attempt(number), 1_000)
  })
}

for (let number = 0; number < atOnce; number += 1) attempt(number)
setInterval(() => process.send?.(counts), 100)
process.once('disconnect', () => process.exit())
