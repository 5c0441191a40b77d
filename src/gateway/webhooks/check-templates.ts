import { fillTemplates, type WebhookEvent } from './fill.ts'
import { checkMailAddress } from './fill-mail.ts'
import { TemplateFault, type TemplateFields } from './template-fields.ts'

/** Fills all branches of a webhook's templates with a sample event. Returns the first fault, if any. */
export function templateFault(fields: TemplateFields, sample: WebhookEvent): TemplateFault | undefined {
  const given = { ...fields, target: fields.target || 'x', token: fields.token || 'x' }
  const found = faultOf(() => {
    if (fields.url.startsWith('mailto:')) checkMailAddress(fields.url)
    fillTemplates(given, sample, true)
  })
  if (found) return found
  const missing = (['target', 'token'] as const).find((name) =>
    faultOf(() => fillTemplates({ ...given, [name]: fields[name] }, sample)),
  )
  return missing && new TemplateFault(missing, 'Cannot be blank.')
}

function faultOf(work: () => unknown): TemplateFault | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof TemplateFault) return error
    throw error
  }
}
