// Pieces of the templates of presets.

/** The text of the first path that the body has, else `other`. */
export function firstOf(texts: Readonly<Record<string, string>>, other = ''): string {
  const [first = '', ...more] = Object.entries(texts).map(([path, text]) => `if ${path}}}${text}`)
  return `{{#${first}${more.map((one) => `{{else ${one}`).join('')}${other && `{{else}}${other}`}{{/if}}`
}

/** A value with the text around it, if the body has the value. */
export const maybe = (path: string, before = '', after = ''): string =>
  `{{#if ${path}}}${before}{{${path}}}${after}{{/if}}`
