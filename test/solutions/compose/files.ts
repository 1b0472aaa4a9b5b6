/** Compose files as the documentation of well-known projects has them, and the values of their variables. */
export interface ComposeFile {
  name: string
  text: string
  variables?: Record<string, string>
}

export const PLANNED: readonly ComposeFile[] = [
  {
    name: 'WordPress',
    text: `
services:
  db:
    image: mysql:8.4
    volumes: [db_data:/var/lib/mysql]
    restart: always
    environment:
      MYSQL_ROOT_PASSWORD: somewordpress
      MYSQL_DATABASE: wordpress
      MYSQL_USER: wordpress
      MYSQL_PASSWORD: wordpress-password
  wordpress:
    depends_on: [db]
    image: wordpress:6.7-apache
    ports: ["8000:80"]
    restart: always
    environment:
      WORDPRESS_DB_HOST: db:3306
      WORDPRESS_DB_USER: wordpress
      WORDPRESS_DB_PASSWORD: wordpress-password
      WORDPRESS_DB_NAME: wordpress
    volumes: [wp_data:/var/www/html]
volumes: { db_data: {}, wp_data: {} }
`,
  },
  {
    name: 'Umami',
    variables: { APP_SECRET: 'canary-app-secret' },
    text: `
services:
  umami:
    image: ghcr.io/umami-software/umami:postgresql-latest
    ports: ["3000:3000"]
    environment:
      DATABASE_URL: postgresql://umami:umami@db:5432/umami
      APP_SECRET: \${APP_SECRET:?set it}
    depends_on:
      db: { condition: service_healthy }
    init: true
    restart: always
    healthcheck:
      test: ["CMD-SHELL", "curl http://localhost:3000/api/heartbeat"]
      interval: 5s
  db:
    image: postgres:15-alpine
    environment: { POSTGRES_DB: umami, POSTGRES_USER: umami, POSTGRES_PASSWORD: umami }
    volumes: [umami-db-data:/var/lib/postgresql/data]
    restart: always
volumes: { umami-db-data: null }
`,
  },
  {
    name: 'a worker beside a web app, with checks by commands',
    text: `
services:
  web:
    image: shop:2
    ports: ["3000:3000"]
    healthcheck: { test: ["CMD", "node", "check.js"], interval: 1m30s, timeout: 2s, retries: 5 }
  worker:
    image: shop:2
    command: ["node", "worker.js"]
    deploy: { replicas: 2 }
  mailer:
    image: shop:2
    command: ["node", "mailer.js"]
    healthcheck: { test: "test -f /tmp/alive", start_period: 10s }
  silent:
    image: shop:2
    healthcheck: { test: ["NONE"] }
`,
  },
  {
    name: 'Ghost',
    text: `
services:
  ghost:
    image: ghost:5-alpine
    restart: always
    ports: [8080:2368]
    environment:
      database__client: mysql
      database__connection__host: db
      database__connection__user: ghost
      database__connection__password: example
      database__connection__database: ghost
      url: http://localhost:8080
    volumes: [ghost:/var/lib/ghost/content]
  db:
    image: mysql:8.0
    environment: { MYSQL_ROOT_PASSWORD: rootexample, MYSQL_USER: ghost, MYSQL_PASSWORD: example, MYSQL_DATABASE: ghost }
    volumes: [db:/var/lib/mysql]
volumes: { ghost: , db: }
`,
  },
  {
    name: 'Vaultwarden',
    text: `
services:
  vaultwarden:
    image: vaultwarden/server:latest
    container_name: vaultwarden
    restart: unless-stopped
    environment:
      - DOMAIN=https://vw.domain.tld
      - SIGNUPS_ALLOWED=false
    volumes: ["vw-data:/data/"]
    ports: ["11001:80"]
volumes: { vw-data: }
`,
  },
  {
    name: 'Uptime Kuma',
    text: `
services:
  uptime-kuma:
    image: louislam/uptime-kuma:1
    volumes: ["data:/app/data"]
    ports: ["3001:3001"]
    restart: unless-stopped
volumes: { data: {} }
`,
  },
  {
    name: 'a site with a cache, a worker and a migration',
    text: `
x-app: &app
  image: registry.example.com/shop:3
  environment: &environment
    REDIS_URL: redis://cache:6379/1
    DATABASE_URL: postgres://shop:canary-literal@db/shop?sslmode=disable
services:
  web:
    <<: *app
    expose: [8080]
    ports: [{ target: 8080, published: 80 }]
    deploy: { replicas: 2 }
    depends_on:
      migrate: { condition: service_completed_successfully }
      cache: { condition: service_started }
  worker:
    <<: *app
    command: ["node", "worker.js"]
    environment:
      <<: *environment
      PRICE: "$$5 {{sum}}"
      MODE: \${MODE:-fast}
    expose: [9000]
    depends_on: [migrate]
  migrate:
    <<: *app
    command: node migrate.js "all of it"
    depends_on: [db]
  cache: { image: "redis:7-alpine" }
  db:
    image: postgres:17
    environment: { POSTGRES_USER: shop, POSTGRES_PASSWORD: canary-literal }
`,
  },
]

/** Each with what is refused. */
export const REFUSED: readonly (ComposeFile & { refusals: string[] })[] = [
  {
    name: 'Traefik',
    text: `
services:
  traefik:
    image: traefik:v3.2
    command: ["--api.insecure=true", "--providers.docker=true"]
    ports: ["80:80", "8080:8080"]
    volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro"]
`,
    refusals: [
      'compose.services.traefik.ports: 80, 8080: an app is reached at one port; leave one',
      'compose.services.traefik.volumes: /var/run/docker.sock is not supported: it is a path of the host',
      'compose.services.traefik.command: --api.insecure=true is for the entry point of the image; name its program too',
    ],
  },
  {
    name: 'Home Assistant',
    text: `
services:
  homeassistant:
    container_name: homeassistant
    image: "ghcr.io/home-assistant/home-assistant:stable"
    volumes: [/PATH_TO_YOUR_CONFIG:/config, /etc/localtime:/etc/localtime:ro]
    restart: unless-stopped
    privileged: true
    network_mode: host
`,
    refusals: [
      'compose.services.homeassistant.privileged: is not supported: containers share the host with those of others',
      'compose.services.homeassistant.network_mode: is not supported: each account has a network of its own',
      'compose.services.homeassistant.volumes: /PATH_TO_YOUR_CONFIG is not supported: it is a path of the host',
      'compose.services.homeassistant.volumes: /etc/localtime is not supported: it is a path of the host',
    ],
  },
  {
    name: 'Prometheus with a file of its own',
    text: `
services:
  prometheus:
    image: prom/prometheus
    ports: ["9090:9090"]
    volumes: ["./prometheus.yml:/etc/prometheus/prometheus.yml"]
  grafana:
    image: grafana/grafana
    ports: ["3000:3000"]
    env_file: [grafana.env]
    user: "0"
`,
    refusals: [
      'compose.services.prometheus.volumes: ./prometheus.yml is not supported: it is a path of the host',
      'compose.services.grafana.env_file: is not supported: the file is not in the text; write its lines under environment',
      'compose.services.grafana.user: is not supported: containers run as the user of their image',
    ],
  },
  {
    name: 'Docker’s Flask sample',
    text: `
services:
  web:
    build: .
    ports: ["8000:5000"]
  redis:
    image: "redis:alpine"
secrets: { token: { file: ./token } }
networks: { edge: { external: true } }
`,
    refusals: [
      'compose.secrets: is not supported: files come with the image, secrets are variables',
      'compose.networks.edge.external: is not supported: it exists on the host alone',
      'compose.services.web.build: is not supported: push the image to a registry, or create an app that builds from Git',
    ],
  },
  {
    name: 'Nextcloud, which logs in as root, with a variable that is missing',
    text: `
services:
  db:
    image: mysql:8.4
    ports: ["3306:3306"]
    environment:
      - MYSQL_ROOT_PASSWORD=\${ROOT_PASSWORD}
      - MYSQL_DATABASE=nextcloud
  app:
    image: nextcloud:30
    ports: [8080:80]
    environment:
      - MYSQL_HOST=db
      - MYSQL_USER=root
      - MYSQL_PASSWORD=\${ROOT_PASSWORD}
      - ADMIN=\${ADMIN}
    depends_on: [db, proxy]
`,
    variables: { ROOT_PASSWORD: 'canary-root' },
    refusals: [
      'variables.ADMIN: is required: the compose file uses it',
      'compose.services.db.ports: is not supported: open the managed service by its externalAccess',
      'compose.services.app.environment.MYSQL_PASSWORD: is the root password of db: a managed service keeps its administrator to itself; use its own user',
      'compose.services: app depends on proxy, which is no component',
    ],
  },
]
