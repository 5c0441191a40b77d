import { useState } from 'preact/hooks'
import { PRESETS } from '../../../../src/hooks/presets.ts'
import { pb } from '../../data/client.ts'
import { hoursFaults } from '../../data/hours.ts'
import { faultsOf, readNumbers } from '../../data/phone/number-list.ts'
import { type Draft, discardUnsaved } from '../../data/use/use-draft.ts'
import { useGroups } from '../../data/use/use-groups.ts'
import { useTask } from '../../data/use/use-task.ts'
import { HOOK_TOOLS, type Hook } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { CheckField, CheckList, SelectField, TextArea, TextField } from '../../parts/form/field.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { NumberCountry } from '../../parts/form/number-country.tsx'
import { Card } from '../../parts/page.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { go } from '../../router.ts'
import { MORE_NAMES, MoreFields } from './more-fields.tsx'
import { recordOf, type TypedHook, tiesOf } from './typed-hook.ts'

const NAMES = ['name', 'preset', 'kind', 'template', 'recipients', 'groups', ...MORE_NAMES]
const TOOLS = Object.entries(HOOK_TOOLS).map(([preset, { name }]) => [preset, name] as const)
const KINDS = [
  ['alerts', t('Alerts and other news')],
  ['codes', t('Codes, each of which counts')],
] as const
/** How many invalid numbers are named. */
const MOST_NAMED = 3

/** A hook's text and recipients. */
export function Settings({
  hook,
  draft,
  country,
  onCountry,
}: {
  hook: Hook
  draft: Draft<TypedHook>
  country: string
  onCountry: (country: string) => void
}) {
  const groups = useGroups()
  const [isTried, setTried] = useState(false)
  const { value: typed, change } = draft
  const bad = readNumbers(typed.recipients, country).filter(({ fault }) => fault)
  const save = useTask(async () => {
    await pb.collection('hooks').update(hook.id, recordOf(draft.changes, country))
    draft.saved()
    toast(t('Hook saved'))
  })
  const hours = hoursFaults({ from: typed.quiet_from, to: typed.quiet_to, days: [] })
  const submit = () => {
    setTried(true)
    if (bad.length === 0 && Object.keys(hours).length === 0) return save.run()
  }
  const { fault } = save
  const tie = tiesOf(typed, change, fault)
  return (
    <Card title={t('Settings')}>
      <Form onSubmit={submit} fault={fault} names={NAMES}>
        <TextField label={t('Name')} {...tie('name')} />
        <SelectField
          label={t('For')}
          {...tie('preset')}
          choices={TOOLS}
          hint={t('What is left empty below is as this program needs it.')}
        />
        <SelectField
          label={t('It sends')}
          {...tie('kind')}
          choices={KINDS}
          hint={
            typed.kind === 'codes'
              ? t('Above the limit of an hour it refuses, and bodies are not kept.')
              : t('Above the limit of an hour one text says how many more there were.')
          }
        />
        <TextField
          label={t('Texts go to these numbers')}
          {...tie('recipients')}
          placeholder="+4915112345678, +4915187654321"
          error={isTried && bad.length > 0 ? faultsOf(bad, MOST_NAMED) : undefined}
        />
        <NumberCountry value={country} onValue={onCountry} />
        {groups.items.length > 0 && (
          <CheckList
            legend={t('and to these groups')}
            name="groups"
            choices={groups.items.map(({ id, name }) => [id, name] as const)}
            chosen={typed.groups}
            onChosen={(chosen) => change({ groups: chosen })}
            fault={fault}
          />
        )}
        <TextArea
          label={t('Template')}
          {...tie('template')}
          rows={4}
          placeholder={PRESETS[typed.preset].template}
          spellcheck={false}
          hint={t(
            'Braces take values out of the body: {{title}}, {{alerts.0.labels.job}}. {{#each alerts}}…{{/each}} repeats, {{#if title}}…{{/if}} asks.',
          )}
        />
        <MoreFields {...{ typed, fault }} errors={isTried ? hours : {}} onChange={change} />
        <CheckField
          label={t('Switched on')}
          name="enabled"
          value={typed.enabled}
          onValue={(enabled) => change({ enabled })}
        />
        <Actions>
          <Button type="submit" kind="primary" busy={save.busy}>
            {t('Save')}
          </Button>
          <Button kind="quiet" icon="trash" onClick={() => void remove(hook)}>
            {t('Delete')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}

async function remove({ id, name }: Hook): Promise<void> {
  const isSure = await confirmed({
    title: t('Delete the hook?'),
    text: t('Programs that call {name} are refused from now on.', { name }),
    action: t('Delete the hook'),
    danger: true,
  })
  if (!isSure) return
  await pb
    .collection('hooks')
    .delete(id)
    .then(() => {
      toast(t('Hook deleted'))
      discardUnsaved()
      go('/hooks')
    }, toastFault)
}
