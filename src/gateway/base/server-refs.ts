/**
 * How our own values of `client_ref` begin: of a repeated text, an automatic answer, a text typed on a phone.
 * It is unique for an account: no client may take one first.
 */
export const SERVER_REFS = { retry: 'retry:', answer: 'auto:', typed: 'phone:' } as const

export const isServerRef = (ref: string): boolean =>
  Object.values(SERVER_REFS).some((prefix) => ref.startsWith(prefix))
