import { t } from '../../language/words.ts'
import { findDefault, listVariables } from './variables.ts'

/** Says when an automatic answer with these variables is not sent; '' if it always is. */
export function warnOfVariables(body = ''): string {
  const names = listVariables(body).filter(
    (name) => findDefault(body, name) === '' && !/^(?:phone|stop_link)$/i.test(name),
  )
  return names.length === 0
    ? ''
    : t('Not sent to a person without {names}. Write a default, as in {{name|there}}.', {
        names: names.map((name) => `{{${name}}}`).join(', '),
      })
}
