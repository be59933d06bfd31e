interface Thrown { message: string }

const thrown: Thrown = { message: 'made by the test' }
throw new Error(thrown.message)
