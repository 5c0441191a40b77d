import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { userId } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { HOOK_TOOLS, type Hook, type HookPreset } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { go } from '../../router.ts'

const TOOLS = Object.entries(HOOK_TOOLS).map(([preset, { name }]) => [preset, name] as const)

/** Makes a hook and goes to its page, where its recipients are chosen. */
export function NewHook({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [preset, setPreset] = useState<HookPreset>('alertmanager')
  const make = useTask(async () => {
    const record = { user: userId(), name: name.trim() || HOOK_TOOLS[preset].name, preset, enabled: true }
    go(`/hooks/${(await pb.collection('hooks').create<Hook>(record)).id}`)
  })
  return (
    <Dialog title={t('New hook')} onClose={onClose}>
      <Form onSubmit={make.run} fault={make.fault} names={['name', 'preset']}>
        <SelectField
          label={t('For')}
          name="preset"
          choices={TOOLS}
          value={preset}
          onValue={(value) => setPreset(value as HookPreset)}
          fault={make.fault}
          hint={t('It decides what the text says until you write a template.')}
        />
        <TextField
          label={t('Name')}
          name="name"
          placeholder={HOOK_TOOLS[preset].name}
          value={name}
          onValue={setName}
          fault={make.fault}
        />
        <FormActions busy={make.busy} onCancel={onClose}>
          {t('Make the hook')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
