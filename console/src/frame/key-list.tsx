import type { Key } from '../ui/keys.ts'

/** What `?` shows: the keys that work now. */
export function KeyList({ keys }: { keys: readonly Key[] }) {
  return (
    <table>
      <tbody>
        {keys.map((key) => (
          <tr key={key.keys}>
            <th scope="row">
              <kbd>{key.keys.replace('Mod', 'Ctrl')}</kbd>
            </th>
            <td>{key.about}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
