/** Values of JSON text: one, or one a line. Throws when it is neither. */
export function readValues(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return text
      .split('\n')
      .filter((line) => line.trim())
      .map((line) => JSON.parse(line))
  }
}

/**
 * Where `actual` has another shape than the page shows: other keys, another type. Values may differ; null and
 * an empty list fit anything, and a list shows at least one example of each kind of its items. [] when it
 * fits.
 */
export function differences(shown: unknown, actual: unknown, path = ''): string[] {
  if (shown === null) return []
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return [`${path || '.'} is no list`]
    if (shown.length === 0) return []
    return actual.flatMap((item, index) => {
      const faults = shown.map((example) => differences(example, item, `${path}[${index}]`))
      return faults.some((each) => each.length === 0) ? [] : faults[0]!
    })
  }
  if (typeof shown === 'object') {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
      return [`${path || '.'} is no object`]
    return compareKeys(shown as Record<string, unknown>, actual as Record<string, unknown>, path)
  }
  return typeof shown === typeof actual ? [] : [`${path || '.'} is of type ${typeof actual}`]
}

function compareKeys(
  shown: Record<string, unknown>,
  actual: Record<string, unknown>,
  path: string,
): string[] {
  const missing = Object.keys(shown).filter((key) => !(key in actual))
  const more = Object.keys(actual).filter((key) => !(key in shown))
  const inside = Object.keys(shown).filter((key) => key in actual)
  return [
    ...missing.map((key) => `${path}.${key} is not answered`),
    ...more.map((key) => `${path}.${key} is not on the page`),
    ...inside.flatMap((key) => differences(shown[key], actual[key], `${path}.${key}`)),
  ]
}

/** Whether a page shows an answer that is an error: `{"error": …}`, or PocketBase's `{"status": 400, …}`. */
export function isError(shown: unknown): boolean {
  if (typeof shown !== 'object' || shown === null) return false
  const { error, status, data } = shown as Record<string, unknown>
  return (
    typeof error === 'string' || (typeof status === 'number' && status >= 400 && data !== undefined)
  )
}
