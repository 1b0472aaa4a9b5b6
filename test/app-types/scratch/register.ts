import { addAppType } from '../../../src/app-types/app-types.ts'
import { scratch } from './scratch.ts'

// Loaded by `node --import` before the platform: the one line that adds the type to the list.
addAppType(scratch)
