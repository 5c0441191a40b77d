/** The collection of a mailed token, not verified; undefined for an invalid token. */
export function collectionOf(token: string): string | undefined {
  try {
    const payload = JSON.parse(atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
    return typeof payload.collectionId === 'string' ? payload.collectionId : undefined
  } catch {
    return undefined
  }
}
