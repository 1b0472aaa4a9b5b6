// node scripts/lay-firewall.ts <data directory>   lays the firewall rules that Berth laid last, before the engine starts;
//                                                 run at boot by the unit that `npm run service -- install` writes
import { installLastFirewall } from '../src/platform/host-firewall/host-firewall.ts'

const [dataDir] = process.argv.slice(2)
if (!dataDir) throw new Error('Usage: node scripts/lay-firewall.ts <data directory>')
try {
  const laid = await installLastFirewall(dataDir)
  console.log(laid ? `Laid the rules of ${laid.installationId}` : `There are no rules in ${dataDir} yet`)
} catch (error) {
  console.error(`The firewall rules cannot be laid: ${(error as Error).message}`)
  process.exitCode = 1
}
