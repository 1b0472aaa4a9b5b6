import type { ReactNode } from 'react'
import { type Linked, layersOf } from './layers.ts'
import styles from './solutions.module.css'

const CARD = { width: 216, gapX: 56, gapY: 16 } as const

interface GraphProps<Component extends Linked> {
  components: readonly Component[]
  /** What a component is called where another waits for it. */
  nameOf: (component: Component) => string
  /** Of each card, in pixels. */
  height: number
  children: (component: Component) => ReactNode
}

/**
 * Components from left to right, in the order in which they are deployed, with lines from each to those that wait for it. A
 * screen reader, and a narrow window, has the same as a list, in which each says what it waits for.
 */
export function Graph<Component extends Linked>({
  components,
  nameOf,
  height: cardHeight,
  children,
}: GraphProps<Component>) {
  const layers = layersOf(components)
  const rows = Math.max(...layers.map((layer) => layer.length), 1)
  const width = layers.length * (CARD.width + CARD.gapX) - CARD.gapX
  const height = rows * (cardHeight + CARD.gapY) - CARD.gapY
  const places = new Map(
    layers.flatMap((layer, column) =>
      layer.map(({ key }, row) => {
        const top = (height - (layer.length * (cardHeight + CARD.gapY) - CARD.gapY)) / 2
        return [key, { x: column * (CARD.width + CARD.gapX), y: top + row * (cardHeight + CARD.gapY) }] as const
      }),
    ),
  )
  const names = new Map(components.map((component) => [component.key, nameOf(component)]))
  return (
    <div className={styles.graph}>
      <svg width={width} height={height} aria-hidden="true" className={styles.lines}>
        {components.flatMap(({ key, dependsOn }) =>
          dependsOn.map((from) => {
            const [start, end] = [places.get(from), places.get(key)]
            if (!start || !end) return null
            const [x1, y1, y2] = [start.x + CARD.width, start.y + cardHeight / 2, end.y + cardHeight / 2]
            const middle = (x1 + end.x) / 2
            return <path key={`${from} ${key}`} d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${end.x} ${y2}`} />
          }),
        )}
      </svg>
      <ol className={styles.cards} ref={(list) => sizeOf(list, { width, height, card: cardHeight })}>
        {layers.flat().map((component) => (
          <li key={component.key} ref={(card) => placeOf(card, places.get(component.key))}>
            {children(component)}
            {component.dependsOn.length > 0 && (
              <p className={styles.after}>After {component.dependsOn.map((key) => names.get(key) ?? key).join(', ')}</p>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

/** By properties, which the policy of the page allows, and which the narrow list does not read. */
function sizeOf(list: HTMLElement | null, sizes: Readonly<Record<string, number>>): void {
  for (const [name, pixels] of Object.entries(sizes)) list?.style.setProperty(`--${name}`, `${pixels}px`)
}

function placeOf(card: HTMLElement | null, place: { x: number; y: number } | undefined): void {
  card?.style.setProperty('--x', `${place?.x ?? 0}px`)
  card?.style.setProperty('--y', `${place?.y ?? 0}px`)
}
