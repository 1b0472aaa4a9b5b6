import { DomainError } from '../../domain/errors.ts'

/** Why a pull request gets nothing: a reason of a delivery, with which no caller is answered. */
export const refused = (reason: string, message: string) => new DomainError('CONFLICT', reason, message)
