type Draw = (below: number) => number

/** Small, and the same on every machine. */
export function generator(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** One of the valid messages, changed in one to three places. */
export function mangled(draw: Draw, valid: readonly string[], pieces: readonly string[]): string {
  let text = valid[draw(valid.length)] as string
  for (let times = draw(3) + 1; times > 0; times -= 1) {
    const at = draw(text.length + 1)
    const piece = pieces[draw(pieces.length)] as string
    const lines = text.split('\r\n')
    const line = draw(lines.length)
    text = [
      () => text.slice(0, at) + piece + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1 + draw(3)),
      () => text.slice(0, at) + piece + text.slice(at + piece.length),
      () => [...lines.slice(0, line), lines[line], ...lines.slice(line)].join('\r\n'),
      () => [...lines.slice(0, line), ...lines.slice(line + 1)].join('\r\n'),
      () => text.replace('\r\n', ['\n', '\r', '\r\n\r\n'][draw(3)] as string),
      () => [...lines.slice(0, line), piece.trimEnd(), ...lines.slice(line)].join('\r\n'),
    ][draw(7)]?.() as string
  }
  return text
}

/** The bytes cut in these places. */
export function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((at, index) => bytes.subarray(places[index], at))
}
