import { listOptOutLanguages } from '#portable/country-languages.ts'
import { hasTeamRole, session } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { Actions, Button, FaultNotice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'

/** Asks an account once whether the opt-out words of its country count: an older one has chosen none. */
export function OptOutLanguages() {
  const settings = ownSettings.value
  const save = useTask(async (opt_out_languages: readonly string[]) =>
    saveOwnSettings({ opt_out_languages } as Parameters<typeof saveOwnSettings>[0]),
  )
  if (!settings || settings.opt_out_chosen || !hasTeamRole('admin')) return null
  const { country, opt_out_languages: chosen } = settings
  const suggested = listOptOutLanguages(country, String(session.value?.record.language ?? ''))
  const missing = suggested.filter((language) => !chosen.includes(language))
  if (missing.length === 0) return null
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  const languages = new Intl.ListFormat(locale).format(
    missing.map((code) => names.of(code) ?? code),
  )
  return (
    <Card title={t('Opt-out words of your country')}>
      <p>
        {t(
          'So far only some words opt people out, such as STOP. Shall the usual words of these languages count, too: {languages}?',
          { languages },
        )}{' '}
        {hasTeamRole('owner')
          ? t('You can change it on the page Account.')
          : t('The owner can change it on the page Account.')}
      </p>
      <FaultNotice fault={save.fault} />
      <Actions>
        <Button
          kind="primary"
          busy={save.busy}
          onClick={() => void save.run([...chosen, ...missing])}
        >
          {t('Yes, let them count')}
        </Button>
        <Button onClick={() => void save.run(chosen)}>{t('No')}</Button>
      </Actions>
    </Card>
  )
}
