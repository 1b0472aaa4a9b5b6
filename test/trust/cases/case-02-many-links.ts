import { tarGz } from '../../support/source-archive.ts'
import { assertAllRolesAnswer, buildArchive, whileOthersAsk } from '../support/hostile-source.ts'
import type { TrustCase } from '../trust-case.ts'

/** 390 of them took more than 100 s of the whole process when every link was followed alone. */
const COUNTS = [390, 1_560]
const MAX_OTHERS_MS = 5_000

/** Each link leads through the one before, with a long target; 39 of them in a row, because 40 is the limit. */
function archiveOfLinks(count: number): Promise<Buffer> {
  const target = (n: number) => (n % 39 === 0 ? 'x' : `${'./'.repeat(900)}l${n - 1}`)
  const links = Array.from({ length: count }, (_, n) => ({
    name: `l${n}`,
    type: 'symlink' as const,
    linkname: target(n),
  }))
  return tarGz([...links, { name: 'Dockerfile', content: 'FROM scratch\nRUN never' }])
}

export const trustCase: TrustCase = {
  number: 2,
  title: 'Links that lead through one another are checked in linear time',
  async run(berth) {
    const figures: string[] = []
    for (const count of COUNTS) {
      const archive = await archiveOfLinks(count)
      const since = performance.now()
      const { result, others } = await whileOthersAsk(berth, () => buildArchive(berth, archive))
      const seconds = ((performance.now() - since) / 1000).toFixed(1)
      const { status, reason } = result
      // They are all harmless: what fails is the step of the build.
      if (reason !== 'BUILD_FAILED') throw new Error(`${count} links ended with ${status} ${reason}: ${result.message}`)
      if (others.slowestMs > MAX_OTHERS_MS) throw new Error(`A request of others took ${others.slowestMs} ms`)
      figures.push(
        `${count} links in ${archive.length} bytes built from in ${seconds} s, others’ slowest ${others.slowestMs} ms`,
      )
    }
    await assertAllRolesAnswer(berth)
    return figures.join('; ')
  },
}
