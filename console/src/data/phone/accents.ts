/** Letters that names have instead of plain ones. */
const ACCENTED: Readonly<Record<string, string>> = {
  a: 'äáàâãåą',
  c: 'çćč',
  d: 'ď',
  e: 'éèêëęě',
  g: 'ğ',
  i: 'íìîïı',
  l: 'ł',
  n: 'ñńň',
  o: 'öóòôõøő',
  r: 'ř',
  s: 'šśş',
  t: 'ť',
  u: 'üúùûůű',
  y: 'ýÿ',
  z: 'žźż',
}

/**
 * A word without its accents, and the word with one accent more, in small letters or with a capital:
 * `jorg`, `jörg`, `jórg`, … The case of plain letters is left to the search.
 */
export function accentsOf(word: string): readonly string[] {
  const small = word.toLowerCase().normalize('NFC')
  const letters = [...small]
  const accented = letters.flatMap((letter, at) =>
    [...(ACCENTED[letter] ?? '')].map((other) => letters.with(at, other).join('')),
  )
  const capital = accented.filter((other) => other[0]! > '~').map(capitalized)
  return [small.normalize('NFD').replace(/\p{M}/gu, ''), ...accented, ...capital]
}

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1)
