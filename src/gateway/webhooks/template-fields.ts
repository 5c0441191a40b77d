/** The fields of a webhook with templates. `headers` and `body` are JSON. */
export interface TemplateFields {
  readonly preset: string
  readonly url: string
  readonly method: string
  readonly headers: string | null
  readonly body: string | null
  /** A chat, room or topic, for the placeholder `{{target}}`. */
  readonly target: string
  /** The token of the called service, for `{{token}}` in URL and headers. */
  readonly token: string
}
export const TEMPLATE_FIELDS = [
  'format',
  'preset',
  'url',
  'method',
  'headers',
  'body',
  'target',
] as const

/** A template of the webhook cannot be filled. */
export class TemplateFault extends Error {
  readonly field: keyof TemplateFields

  constructor(field: keyof TemplateFields, message: string) {
    super(message)
    this.field = field
  }
}
