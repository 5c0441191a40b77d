/** Length in code points, which is how PocketBase counts. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
