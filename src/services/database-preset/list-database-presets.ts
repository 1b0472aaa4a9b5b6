import type { Engine } from '../../app-types/engines/engine.ts'
import { ENGINES } from '../../app-types/engines/list.ts'
import { type Caller, userOf } from '../kernel/caller.ts'

/** The engines of this version, for every user: they belong to no account. */
export function listDatabasePresets(caller: Caller): readonly Engine[] {
  userOf(caller)
  return ENGINES
}
