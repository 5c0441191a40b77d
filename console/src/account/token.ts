/**
 * The collection that a mailed token is for, unchecked: the server checks it. Undefined for what is no token.
 */
export function collectionOf(token: string): string | undefined {
  try {
    const payload = JSON.parse(atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
    return typeof payload.collectionId === 'string' ? payload.collectionId : undefined
  } catch {
    return undefined
  }
}
