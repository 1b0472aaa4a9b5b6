// npm run prove -- readme     every block, pasted twice into each shell on a fresh clone of its own
import { hasTerminals } from '../support/terminal.ts'
import { Clone } from './clone.ts'
import {
  expectAnswers,
  missingFor,
  pasteOthers,
  pasteStart,
  runMutations,
  SHELLS,
  stopsAtAWrongToken,
} from './pasted-readme.ts'
import { publicImages } from './public-images.ts'

if (!hasTerminals) throw new Error('Terminals need the program script of util-linux')
await using _images = await publicImages()
for (const name of SHELLS) {
  const missing = missingFor(name)
  if (missing.length > 0) {
    console.log(`Skipped: pasting the README into ${name} needs ${missing.join(' and ')}`)
    continue
  }
  await using clone = await Clone.make()
  await using running = await pasteStart(clone, name)
  expectAnswers([await pasteOthers(clone, name), await pasteOthers(clone, name)])
  await runMutations(clone)
  await stopsAtAWrongToken(clone, name)
  await running.interrupt()
  console.log(`${name}: every block works in its order, twice, and all stop at a wrong token`)
}
