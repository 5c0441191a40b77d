import { type Settings, saveSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

/** What `GET /api/health` answers to superusers. */
interface Health {
  readonly data: { readonly realIP?: string; readonly possibleProxyHeader?: string }
}

const SIDES = [
  ['right', t('The last one: your proxy wrote it')],
  ['left', t('The first one: your proxy replaces what it gets')],
] as const

/** How the server finds the client's address behind a proxy. */
export function ReverseProxy({ settings: { trustedProxy } }: { settings: Settings }) {
  const first = {
    headers: trustedProxy.headers.join(', '),
    side: trustedProxy.useLeftmostIP ? 'left' : 'right',
  }
  const draft = useDraft('settings.proxy', first, { asks: true })
  const { headers, side } = draft.value
  const { value: health, reload } = useAnswer<Health>('/api/health')
  const save = useTask(async () => {
    const names = headers.split(/[\s,]+/).filter(Boolean)
    await saveSettings({ trustedProxy: { headers: names, useLeftmostIP: side === 'left' } })
    draft.saved()
    toast(t('Proxy saved'))
    await reload()
  })
  const seen = health?.data.possibleProxyHeader
  return (
    <Card title={t('Reverse proxy')}>
      <p class="muted">
        {tx(
          'To the server, your own address is {address}. If it is not, name your proxies in TRUSTED_PROXIES of the server, or a header here.',
          {
            address: <strong class="mono">{health?.data.realIP ?? '…'}</strong>,
          },
        )}
        {seen && ` ${t('Your requests have the header {seen}.', { seen })}`}
      </p>
      <Form onSubmit={save.run} fault={save.fault} names={['trustedProxy.headers']}>
        <TextField
          label={t('Headers that are believed')}
          name="trustedProxy.headers"
          hint={t(
            'Set this only if all traffic goes through the proxy. Otherwise anyone can fake their IP address.',
          )}
          placeholder={t('None')}
          autocomplete="off"
          spellcheck={false}
          value={headers}
          onValue={(typed) => draft.change({ headers: typed })}
          fault={save.fault}
        />
        <SelectField
          label={t('If there are several addresses in it')}
          name="trustedProxy.useLeftmostIP"
          choices={SIDES}
          value={side}
          onValue={(chosen) => draft.change({ side: chosen })}
        />
        <FormActions busy={save.busy}>{t('Save proxy')}</FormActions>
      </Form>
    </Card>
  )
}
