const SECRET_NAME = /pass|pwd|secret|token|key|salt|credential|auth|dsn|jwt/i
const LOGIN_IN_ADDRESS = /:\/\/[^\s:@/]*:[^\s@/]+@/
const SECRET_SETTING = /(?:pass|pwd|secret|token|key|auth)[a-z_-]{0,20}=[^\s;&]/i

/** Whether a variable of this name usually holds a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

/** Whether the text has an address with a password in it, or sets one. */
export const hasSecretText = (text: string): boolean => LOGIN_IN_ADDRESS.test(text) || SECRET_SETTING.test(text)
