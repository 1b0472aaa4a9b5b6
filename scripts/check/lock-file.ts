// node scripts/check/lock-file.ts    whether `npm ci` finds in package-lock.json all that package.json wants, everywhere
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LockedPackage, lockFileProblems, type WantedPackages } from './lock-file-problems.ts'

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', name), 'utf8'))

const wanted: WantedPackages = read('package.json')
const { packages }: { packages: Record<string, LockedPackage> } = read('package-lock.json')
const problems = lockFileProblems(wanted, packages)
for (const problem of problems) console.log(problem)
if (problems.length > 0) {
  console.log(
    'Copy package.json and package-lock.json to an empty folder, run there:\n' +
      '    npm install --package-lock-only --omit-lockfile-registry-resolved\n' +
      'and copy package-lock.json back. Packages that are still missing: delete the entry that wants them first.',
  )
}
process.exitCode = problems.length === 0 ? 0 : 1
