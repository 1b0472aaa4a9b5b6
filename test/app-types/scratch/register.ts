import { addAppType } from '../../../src/app-types/app-types.ts'
import { scratch } from './scratch.ts'

// Loaded by `node --import` before the platform: the one line by which the type is in the list.
addAppType(scratch)
