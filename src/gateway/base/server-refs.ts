/**
 * How the server's own values of `client_ref` begin: of a text that sends another one again, of an automatic
 * answer, and of a text that a phone's owner typed on the phone. `client_ref` is unique for each account: no
 * client may take one of these before the server does.
 */
export const SERVER_REFS = { retry: 'retry:', answer: 'auto:', typed: 'phone:' } as const

export const isServerRef = (ref: string): boolean =>
  Object.values(SERVER_REFS).some((prefix) => ref.startsWith(prefix))
