SECRET_KEY = 'for-tests'
ALLOWED_HOSTS = ['*']
ROOT_URLCONF = 'shop.urls'
