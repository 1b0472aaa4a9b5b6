/** What cannot be done; its message says what to do instead. */
export class Refusal extends Error {}
