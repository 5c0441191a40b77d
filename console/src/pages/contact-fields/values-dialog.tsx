import { useEffect, useState } from 'preact/hooks'
import { writeFieldValue } from '#portable/field-text.ts'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { accountLocale } from '../../data/account-locale.ts'
import type { ContactField } from '../../data/record-types.ts'
import { useLongTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Actions, Button, Form, FormActions } from '../../parts/form/form.tsx'
import { Progress } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { makePageHref } from '../../router.ts'
import { convertStoredValues, type FoundValues, findStoredValues } from './stored-values.ts'

/**
 * Counts the stored values of a field that are older than its type, offers to convert them, and lists those
 * that do not fit. `isQuiet`: shows nothing unless there are such values.
 */
export function ValuesDialog({
  field,
  isQuiet,
  onClose,
}: {
  field: ContactField
  isQuiet: boolean
  onClose: () => void
}) {
  const [found, setFound] = useState<FoundValues>()
  const [[through, total], setThrough] = useState([0, 0])
  const read = useLongTask(async (stop) => {
    const values = await findStoredValues(field, stop, (...now) => setThrough(now))
    if (stop.aborted) return
    if (isQuiet && values.misfits + values.convertible.length === 0) onClose()
    else setFound(values)
  })
  const convert = useLongTask(async (stop) => {
    const ids = found?.convertible ?? []
    setThrough([0, ids.length])
    const count = await convertStoredValues(field, ids, stop, (now) =>
      setThrough([now, ids.length]),
    )
    showToast(tn('1 value converted', '{count} values converted', count))
    if (found?.misfits === 0 || stop.aborted) onClose()
    else
      setFound(
        (old) => old && { ...old, fits: old.fits + count, convertible: [], example: undefined },
      )
  })
  useEffect(() => void read.run(), [])
  if (isQuiet && !found && !read.fault) return null
  const isWorking = read.busy || convert.busy
  const many = found?.convertible.length ?? 0
  return (
    <Dialog title={t('Stored values of {name}', field)} onClose={onClose}>
      <Form onSubmit={convert.run} fault={read.fault ?? convert.fault}>
        {isWorking && (
          <Progress
            value={through!}
            max={total!}
            label={t('{count} of {total}', { count: through!, total: total! })}
          />
        )}
        {found && !isWorking && <Found field={field} found={found} />}
        {many > 0 ? (
          <FormActions busy={convert.busy} onCancel={onClose} onStop={convert.stop}>
            {t('Convert {count}', { count: many })}
          </FormActions>
        ) : (
          <Actions>
            <Button onClick={onClose}>{t('Close')}</Button>
          </Actions>
        )}
      </Form>
    </Dialog>
  )
}

function Found({ field, found }: { field: ContactField; found: FoundValues }) {
  const { name, type } = field
  const { fits, convertible, example, misfits, listed } = found
  const [before = '', after = ''] = example ?? []
  return (
    <>
      <p>
        {fits > 0 && tn('1 value fits the type.', '{count} values fit the type.', fits)}{' '}
        {convertible.length > 0 &&
          tn(
            '1 was stored before and can be converted: {before} becomes {after}.',
            '{count} were stored before and can be converted: {before} becomes {after}, for example.',
            convertible.length,
            { before, after },
          )}{' '}
        {example &&
          t('Texts with {variable} then say {after}, too.', {
            variable: `{{${name}}}`,
            after: writeFieldValue(type, after, undefined, accountLocale()),
          })}
      </p>
      {misfits > 0 && (
        <>
          <p>
            {tn(
              '1 does not fit, and stays until somebody changes it:',
              '{count} do not fit, and stay until somebody changes them:',
              misfits,
            )}
          </p>
          <ul>
            {listed.map(({ contact, stored }) => (
              <li key={contact.id} class="breaks">
                <a href={makePageHref(`/contacts/${contact.id}`)}>
                  {contact.name || formatPhone(contact.phone)}
                </a>{' '}
                {typeof stored === 'string' ? stored : JSON.stringify(stored)}
              </li>
            ))}
          </ul>
          {misfits > listed.length && (
            <p class="muted">{t('and {count} more', { count: misfits - listed.length })}</p>
          )}
        </>
      )}
    </>
  )
}
