/** A key of a body as it may be logged; `…` for one that may contain words or a number of somebody. */
export const loggableKey = (key: string): string =>
  /^[A-Za-z_@$][\w.-]{0,49}$/.test(key) && !/(?:\d[_.-]*){5}/.test(key) ? key : '…'

/** A message as it may be logged, without the values that it quotes. */
export const loggableMessage = (message: string): string => message.replace(/".*"/gs, '"…"')
