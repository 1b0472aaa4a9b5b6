import { join, resolve } from 'node:path'
import type { Config } from './config.ts'

/** Where uploaded archives are, for the process that receives them and the one that builds: they share the folder. */
export const uploadsFolder = ({ BERTH_DATA_DIR }: Config): string => resolve(BERTH_DATA_DIR, 'uploads')

/** Keys are ids of ours, and so no path leads anywhere else. What is uploaded again under a key is another file. */
export const uploadFile = (storageKey: string, sha256: string): string => `${storageKey}.${sha256}`

export const storageKeyOf = (file: string): string => file.split('.')[0] ?? ''

export const uploadPath = (folder: string, storageKey: string, sha256: string): string =>
  join(folder, uploadFile(storageKey, sha256))
