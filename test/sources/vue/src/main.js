import { createApp, h } from 'vue'

createApp({ render: () => h('p', 'hello') }).mount('#app')
