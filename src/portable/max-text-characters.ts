/** Maximum length of a plain or rendered text, in code points. `max` of collections repeats it. */
export const MAX_TEXT_CHARACTERS = 1600
