/** Signs that people write between the digits of a number. */
const BETWEEN = '[\\p{Zs}\\p{Pd}()_.]{0,3}'
const SOME = new RegExp(`(?:\\d${BETWEEN}){5}`, 'u')
const NUMBER = new RegExp(`(?:\\+|%2B)?\\d(?:${BETWEEN}\\d){6,}[a-z]?`, 'giu')
/** The beginning of an id of a record. */
const ID = /^\d+[a-z]$/i

/** Whether a name or value may contain a phone number: five digits. */
export const hasNumber = (text: string): boolean => SOME.test(text)

/** A sentence or path as it may be logged, with `…` for possible phone numbers: seven digits. */
export const hideNumbers = (text: string): string =>
  text.replace(NUMBER, (found) => (ID.test(found) ? found : '…'))

/** A key of a body as it may be logged; `…` for one that may contain a text or a phone number. */
export const toLoggableKey = (key: string): string =>
  /^[A-Za-z_@$][\w.-]{0,49}$/.test(key) && !hasNumber(key) ? key : '…'

/** A message as it may be logged, without the values that it quotes. */
export const toLoggableMessage = (message: string): string => message.replace(/".*"/gs, '"…"')
