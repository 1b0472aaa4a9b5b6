/** Why a connection was refused; the metrics count by it. */
export type Refusal =
  /** The client's address is not in the allow list. */
  | 'NOT_ALLOWED'
  /** As many connections as the environment, the client's address or this process may have. */
  | 'TOO_MANY_OF_ENVIRONMENT'
  | 'TOO_MANY_FROM_CLIENT'
  | 'TOO_MANY_CONNECTIONS'
  /** No container is ready. */
  | 'NOT_SERVING'
  /** No container that is ready took the connection. */
  | 'UNREACHABLE'
  /** This machine can open no more connections. */
  | 'HOST_EXHAUSTED'
