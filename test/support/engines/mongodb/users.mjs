// Sign-in by SCRAM-SHA-256 (RFC 5802, RFC 7677). Passwords are kept as what the mechanism needs, and not themselves.
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import { keepSecrets, secretsOf } from './store.mjs'

const ITERATIONS = 15_000

const hmac = (key, text) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes) => createHash('sha256').update(bytes).digest()
const xor = (one, other) => Buffer.from(one.map((byte, at) => byte ^ other[at]))
const fieldsOf = (message) => Object.fromEntries(message.split(',').map((part) => [part[0], part.slice(2)]))

export class SignInFailed extends Error {}

export function setPassword(name, password) {
  const salt = randomBytes(28)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  keepSecrets(name, {
    salt: salt.toString('base64'),
    storedKey: sha256(hmac(salted, 'Client Key')).toString('base64'),
    serverKey: hmac(salted, 'Server Key').toString('base64'),
  })
}

/** What the server answers first, and what it expects then. */
export function beginSignIn(message) {
  const bare = message.replace(/^n,[^,]*,/, '')
  const { n: name, r: nonce } = fieldsOf(bare)
  const secrets = secretsOf(name)
  if (!secrets) throw new SignInFailed('Authentication failed.')
  const together = `${nonce}${randomBytes(24).toString('base64')}`
  const first = `r=${together},s=${secrets.salt},i=${ITERATIONS}`
  return { first, name, bare, nonce: together, secrets }
}

/** The server's own proof. */
export function finishSignIn({ first, bare, nonce, secrets }, message) {
  const { r: given, p: proof } = fieldsOf(message)
  const signed = `${bare},${first},${message.replace(/,p=.*$/, '')}`
  const storedKey = Buffer.from(secrets.storedKey, 'base64')
  const clientKey = xor(Buffer.from(proof, 'base64'), hmac(storedKey, signed))
  if (given !== nonce || !timingSafeEqual(sha256(clientKey), storedKey))
    throw new SignInFailed('Authentication failed.')
  return `v=${hmac(Buffer.from(secrets.serverKey, 'base64'), signed).toString('base64')}`
}
