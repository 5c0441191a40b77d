import './avatar.css'

const COLOURS = 6

/** The first letters of the first and last word of a name; '' for a number. */
function readInitials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter((word) => /^\p{L}/u.test(word))
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return [first, last].map((word) => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('')
}

/** A number from 0 to COLOURS - 1 that is always the same for a text. */
const chooseColour = (text: string) =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9_973, 7) % COLOURS

/** A circle with a person's initials, beside the name. `of`: the number or id that chooses the colour. */
export const Avatar = ({ name, of, isSmall }: { name: string; of: string; isSmall?: boolean }) => (
  <span class={`avatar colour-${chooseColour(of)} ${isSmall ? 'small' : ''}`} aria-hidden="true">
    {readInitials(name) || '#'}
  </span>
)
