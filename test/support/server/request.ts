/** An answer: `body` is its JSON, or its text where it is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly body: any
}

/** The header of HTTP Basic. */
export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** A request. A text or a form is sent as it is, anything else as JSON. A redirect is not followed. */
export async function request(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      body: isForm || typeof body === 'string' ? body : JSON.stringify(body),
    }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : text,
  }
}
