import { graphql } from '../graphql/graphql.ts'

/** Who is signed in, and what they may do where. */
export const Session = graphql(`
  query Session {
    me {
      id username email isInstallationAdmin
      currentAccount { id name slug }
      memberships { roles appEnvIds account { id name slug } }
    }
  }
`)

/** For the installation’s admin, who reaches accounts without being a member. */
export const Accounts = graphql(`
  query Accounts($name: String) {
    accounts(name: $name, first: 100, orderBy: NAME) { totalCount nodes { id name slug } }
  }
`)
