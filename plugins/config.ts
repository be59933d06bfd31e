import fastifyEnv from '@fastify/env'
import fp from 'fastify-plugin'
import {
  deriveSettings, warnings, explain, FORMATS, ownVariables, type Settings, SettingsError, type Violation
} from '../lib/settings.js'
import { type RawSettings, SettingsSchema } from '../schemas/settings.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The settings, checked: nothing else reads the environment. */
    config: Settings
  }
}

export interface ConfigOptions {
  env: Readonly<Record<string, string | undefined>>
}

/** Checks the settings before anything else starts; throws a SettingsError that names every problem. */
export default fp<ConfigOptions>(async (fastify, { env }) => {
  const { variables, problems } = ownVariables(env)
  try {
    await fastify.register(fastifyEnv, {
      confKey: 'checkedEnv',
      schema: { ...SettingsSchema },
      data: variables,
      env: false,
      ajv: {
        customOptions (ajv) {
          ajv.addKeyword('must')
          for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate })
          return ajv
        }
      }
    })
  } catch (error) {
    const { errors } = error as { errors?: Violation[] }
    if (errors === undefined) throw error
    throw new SettingsError([...new Set([...problems, ...errors.map(explain)])])
  }
  if (problems.length > 0) throw new SettingsError(problems)

  const settings = deriveSettings(fastify.getDecorator<RawSettings>('checkedEnv'), env)
  fastify.decorate('config', settings)
  fastify.log.info(
    { program: settings.factory, nodes: settings.nodeUrls.length, excluded: settings.excluded.size },
    'settings are in order'
  )
  for (const doubt of warnings(settings, env)) fastify.log.warn(doubt)
}, { name: 'config' })
