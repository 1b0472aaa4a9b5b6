/**
 * Flags for a Berth that a test starts and soon ends or kills. Prisma's query compiler is WebAssembly, which Node.js
 * optimises in the background as soon as it is used: a fifth of a start's processor time, that pays off after minutes.
 */
export const SHORT_LIVED = ['--wasm-tiering-budget=300000000']
