import { useRef } from 'preact/hooks'
import { chooseInk } from '#portable/choose-ink.ts'
import { pb } from '../../data/client.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Field } from '../../parts/form/field.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Card, Loading } from '../../parts/page.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import { makeLogo } from './make-logo.ts'
import './look.css'

/** The colour of buttons on pages of accounts that have chosen none. */
const USUAL = '#4f46e5'

const saveColor = (color: string) => runWithToast(() => saveOwnSettings({ color }), t('Saved'))
const saveLogo = (logo: File | undefined) =>
  runWithToast(
    async () => saveOwnSettings({ logo: logo ? await makeLogo(logo) : '' }),
    logo ? t('Saved') : t('Logo removed'),
  )

/** The logo and the colour of the account, which others see on its pages and in its mails. */
export function Look() {
  const input = useRef<HTMLInputElement>(null)
  const stored = ownSettings.value
  if (stored === undefined) return <Loading />
  const { logo = '', color = '' } = stored ?? {}
  const fill = color || USUAL
  return (
    <Card title={t('Logo and color')}>
      <p class="muted">
        {t('Others see them on your pages to join and to opt out, and in mails of the account.')}
      </p>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/jpeg,image/png,image/webp"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          if (file) void saveLogo(file)
          event.currentTarget.value = ''
        }}
      />
      <div class="row">
        {stored && logo !== '' && (
          <img class="account-logo" src={pb.files.getURL(stored, logo)} alt={t('Your logo')} />
        )}
        <Button icon="picture" onClick={() => input.current?.click()}>
          {logo === '' ? t('Choose a logo') : t('Choose another logo')}
        </Button>
        {logo !== '' && (
          <Button onClick={() => void saveLogo(undefined)}>{t('Remove the logo')}</Button>
        )}
      </div>
      <Field label={t('Color of buttons')} name="color">
        {(ties) => (
          <div class="row">
            <input
              {...ties}
              class="account-color"
              type="color"
              value={fill}
              onChange={(event) => void saveColor(event.currentTarget.value)}
            />
            <span
              class="account-button"
              style={{ background: fill, color: chooseInk(fill) }}
              aria-hidden="true"
            >
              {t('A button')}
            </span>
            {color !== '' && <Button onClick={() => void saveColor('')}>{t('Usual color')}</Button>}
          </div>
        )}
      </Field>
    </Card>
  )
}
