const MOST_EDITS = 3

/** The one of `names` that `typed` was most likely meant to be; undefined when none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const word = typed.toLowerCase()
  let best: string | undefined
  let least = Math.min(MOST_EDITS, Math.ceil(word.length / 2)) + 1
  for (const name of names) {
    const edits =
      name.toLowerCase().startsWith(word) && word.length > 2 ? 1 : editsBetween(word, name.toLowerCase())
    if (edits >= least) continue
    best = name
    least = edits
  }
  return best
}

/** Letters to put in, take out, change or swap with their neighbour (Damerau and Levenshtein's distance). */
function editsBetween(from: string, to: string): number {
  let older: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1, swapped ? older[j - 2]! + 1 : Infinity)
    }
    older = last
    last = row
  }
  return last[to.length]!
}
