// Runs Berth as npm start does, without setting anything up: node scripts/supervise.mjs
import { supervise } from './supervisor/supervise.mjs'

process.exit(await supervise(process.execPath))
