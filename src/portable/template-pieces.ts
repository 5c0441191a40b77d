/** A template that prints the text of the first path that the body has, else `other`. */
export function printFirstText(texts: Readonly<Record<string, string>>, other = ''): string {
  const [first = '', ...more] = Object.entries(texts).map(([path, text]) => `if ${path}}}${text}`)
  return `{{#${first}${more.map((one) => `{{else ${one}`).join('')}${other && `{{else}}${other}`}{{/if}}`
}

/** A template that prints a value between `before` and `after`, or nothing if the body lacks the value. */
export const printIfPresent = (path: string, before = '', after = ''): string =>
  `{{#if ${path}}}${before}{{${path}}}${after}{{/if}}`
