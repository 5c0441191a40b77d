import type { ZodOpenApiOperationObject } from 'zod-openapi'

type Security = NonNullable<ZodOpenApiOperationObject['security']>

/** The ways to say who asks. */
export const SECURITY_SCHEMES = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a sign-in. `Bearer` may be left out.',
  },
  deviceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a pairing.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key: `psk_…`.' },
} as const

/** No credentials. */
export const NOBODY: Security = []
export const SIGNED_IN: Security = [{ token: [] }]
/** A token may show or allow more. */
export const ANYONE: Security = [{}, { token: [] }]
export const SENDER: Security = [{ apiKey: [] }, { token: [] }]
export const DEVICE: Security = [{ deviceToken: [] }]
