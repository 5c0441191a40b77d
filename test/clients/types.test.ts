import { typesOfClient } from '../../package/types.ts'

test('types.ts of the client matches the described API', async () => {
  await expect(typesOfClient()).toMatchFileSnapshot('../../clients/javascript/types.ts')
})
