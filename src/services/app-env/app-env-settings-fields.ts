import { fieldsOf, flag, whole } from '../../calls/field.ts'
import { answer } from '../../calls/resource.ts'
import type { AutoScaling } from '../../domain/autoscaling.ts'

const scaled = fieldsOf<AutoScaling>()

/** How `autoScaling` was set. */
export const scaledByLoad = answer({
  enabled: scaled.column('enabled', flag, 'Whether the number of containers follows the load.'),
  min: scaled.column('min', whole, 'Minimum number of containers.'),
  max: scaled.column('max', whole, 'Maximum number of containers.'),
  cpuPercent: scaled.column('cpuPercent', whole, 'Target CPU use, in percent.'),
  memoryPercent: scaled.given('memoryPercent', whole.optional(), 'Target memory use, in percent.'),
  upWindowSeconds: scaled.column('upWindowSeconds', whole, 'Time above the target before containers are added.'),
  downWindowSeconds: scaled.column('downWindowSeconds', whole, 'Time below the target before containers are removed.'),
})
